'use strict';
// The behaviour of the service's pages beyond links and forms. Untrusted text is only ever set as
// textContent.

const byId = (id) => document.getElementById(id);

// Sends JSON with the headers that the service requires. Returns the parsed answer, or throws its
// error message.
async function send(path, body) {
  const response = await fetch(path, {
    method: 'POST', body, headers: { 'Content-Type': 'application/json', 'X-Sysrate': '1' }, credentials: 'same-origin',
  });
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(answer.error || `status ${response.status}`);
  return answer;
}

// Calls `act` when the form is submitted, instead of loading a page. Errors are shown in the form.
function onSubmit(form, act) {
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const said = form.querySelector('#said');
    said.textContent = '';
    try {
      await act();
    } catch (error) {
      said.textContent = error.message;
    }
  });
}

function runsPage() {
  const form = byId('runs');
  const boxes = () => [...form.querySelectorAll('input[name="run"]')];
  const look = () => {
    const count = boxes().filter((box) => box.checked).length;
    byId('compare').disabled = count !== 2;
    byId('ticked').textContent = count === 0 || count === 2 ? '' : `${count} ticked`;
  };
  form.addEventListener('change', look);
  look();
}

function uploadForm() {
  onSubmit(byId('upload'), async () => {
    const label = byId('label').value.trim();
    const text = await byId('report').files[0].text();
    const answer = await send(`/api/v1/runs${label ? `?label=${encodeURIComponent(label)}` : ''}`, text);
    location.assign(`/runs/${answer.id}`);
  });
}

function loginForm() {
  onSubmit(byId('login'), async () => {
    await send('/api/v1/login', JSON.stringify({ token: byId('token').value }));
    if (location.pathname === '/login') location.assign('/');
    else location.reload();
  });
}

// Jobs.

// The request for a job from its form. Empty fields are left out.
function jobOf(form) {
  const job = { target: form.dataset.target, test: form.dataset.test, parameters: {} };
  const given = (selector) => [...form.querySelectorAll(selector)].filter((field) => field.value.trim() !== '');
  const typed = { integer: Number, number: Number, boolean: (text) => text === 'true', choice: String };
  for (const field of given('[data-text]')) job[field.dataset.text] = field.value.trim();
  for (const field of given('[data-number]')) job[field.dataset.number] = Number(field.value);
  for (const field of given('[data-list]')) job[field.dataset.list] = field.value.split(',').map(Number);
  for (const field of given('[data-parameter]')) job.parameters[field.dataset.parameter] = typed[field.dataset.type](field.value);
  return job;
}

function startForm() {
  const form = byId('start');
  // A second click sends the same key, so that it does not start a second job.
  const key = `page-${Date.now()}-${Math.random().toString(36).slice(2)}`;
  onSubmit(form, async () => {
    const answer = await send('/api/v1/jobs', JSON.stringify({ ...jobOf(form), key }));
    location.assign(`/jobs/${answer.id}`);
  });
}

function stopButtons() {
  for (const button of document.querySelectorAll('.stop'))
    button.addEventListener('click', async () => {
      try {
        await send(`/api/v1/jobs/${button.dataset.job}/cancel`, '{}');
        location.reload();
      } catch (error) {
        byId('said').textContent = error.message;
      }
    });
}

function liveText(live) {
  if (live === null) return '';
  if (live.progress !== undefined) return live.progress;
  return `${live.to_s.toFixed(0)} s: ${live.completed_per_s.toFixed(2)} completed per second, ${live.failed} failed`;
}

// Shows the progress of a job every second. Reloads the page when the job has ended.
async function watchJob() {
  const place = byId('job');
  const response = await fetch(`/api/v1/jobs/${place.dataset.job}`, { credentials: 'same-origin' }).catch(() => null);
  const job = response !== null && response.ok ? await response.json() : null;
  if (job !== null && job.state !== 'queued' && job.state !== 'running') {
    location.reload();
    return;
  }
  if (job !== null) byId('live').textContent = liveText(job.live);
  setTimeout(watchJob, 1000);
}

if (byId('runs')) runsPage();
if (byId('upload')) uploadForm();
if (byId('login')) loginForm();
if (byId('logout')) byId('logout').addEventListener('click', () => send('/api/v1/logout', '{}').then(() => location.assign('/login')));
if (byId('start')) startForm();
if (byId('job') && byId('job').dataset.open === '1') watchJob();
stopButtons();
