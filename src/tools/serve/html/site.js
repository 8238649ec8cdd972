'use strict';
// What pages of the service do beyond links and forms. Texts of others are only ever set as textContent.

const byId = (id) => document.getElementById(id);

// Sends JSON as the service wants it; returns the parsed answer, or throws what it says against it.
async function send(path, body) {
  const response = await fetch(path, {
    method: 'POST', body, headers: { 'Content-Type': 'application/json', 'X-Sysrate': '1' }, credentials: 'same-origin',
  });
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(answer.error || `status ${response.status}`);
  return answer;
}

// A form that sends instead of loading a page; what goes wrong is said in it.
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

if (byId('runs')) runsPage();
if (byId('upload')) uploadForm();
if (byId('login')) loginForm();
if (byId('logout')) byId('logout').addEventListener('click', () => send('/api/v1/logout', '{}').then(() => location.assign('/login')));
