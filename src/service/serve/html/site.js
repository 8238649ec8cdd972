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

// A run is on side A or B of a comparison, not on both. Each side has up to SIDE_RUNS runs.
const SIDE_RUNS = 10;

function comparing(form) {
  const boxes = (name) => [...form.querySelectorAll(`input[name="${name}"]`)];
  const count = (name) => boxes(name).filter((box) => box.checked).length;
  const look = () => {
    const [a, b] = [count('a'), count('b')];
    byId('compare').disabled = a === 0 || b === 0 || a > SIDE_RUNS || b > SIDE_RUNS;
    const most = a > SIDE_RUNS || b > SIDE_RUNS ? `; a side has at most ${SIDE_RUNS}` : '';
    byId('ticked').textContent = a + b === 0 ? '' : `A: ${a}, B: ${b}${most}`;
  };
  form.addEventListener('change', ({ target }) => {
    const other = boxes(target.name === 'a' ? 'b' : 'a').find((box) => box.value === target.value);
    if (target.checked && other) other.checked = false;
    look();
  });
  look();
}

// Sorts the rows of the page by a column. Cells without a number are last.
function sortBy(head, at) {
  const body = head.closest('table').tBodies[0], text = (row) => row.cells[at].textContent.trim();
  const down = head.getAttribute('aria-sort') === 'ascending', number = (row) => parseFloat(text(row));
  const numeric = [...body.rows].some((row) => row.cells[at].classList.contains('number')) || at === 2;
  const order = (x, y) => numeric ? number(x) - number(y) : text(x).localeCompare(text(y));
  const lacks = (row) => numeric && !Number.isFinite(number(row));
  const rows = [...body.rows].sort((x, y) => lacks(x) - lacks(y) || (down ? order(y, x) : order(x, y)) || 0);
  for (const other of head.parentElement.cells) other.removeAttribute('aria-sort');
  head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
  body.append(...rows);
}

// Makes the headings of columns buttons that sort.
function sorting(table) {
  [...table.tHead.rows[0].cells].forEach((head, at) => {
    if (!head.classList.contains('sorts')) return;
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = head.textContent;
    button.title = 'sort the runs on this page';
    button.addEventListener('click', () => sortBy(head, at));
    head.replaceChildren(button);
  });
}

function runsPage() {
  comparing(byId('runs'));
  sorting(byId('runs').querySelector('table'));
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
