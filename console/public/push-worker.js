/*
 * Shows what the server pushes to this browser, and the console where there is no connection. What is kept is the page
 * of the console and its own files, whose names change with their content: never an answer of the API.
 */

const KEPT = 'trackway-console';
/** Pages that do not belong to the console: the worker ignores them. */
const OTHERS = /^\/(api|v2|ingest|docs|pages|assets|session|l|healthz|readyz|metrics)(\/|$)/i;
const FILE = /^\/assets\/[\w.-]+$/;

self.addEventListener('install', (event) => {
  self.skipWaiting();
  // Without the page nothing is available offline, but messages can still be shown.
  event.waitUntil(fetch('/', { cache: 'no-cache', headers: { accept: 'text/html' } }).then(keepPage, () => undefined));
});
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== self.location.origin || request.headers.has('range')) return;
  if (request.mode === 'navigate') {
    if (!OTHERS.test(pathname)) event.respondWith(pageOf(event));
  } else if (FILE.test(pathname)) event.respondWith(fileOf(request));
});

/** The server's page if it is reachable, so that the console is never outdated. */
async function pageOf(event) {
  try {
    const answer = await fetch(event.request);
    event.waitUntil(keepPage(answer.clone()));
    return answer;
  } catch (error) {
    const kept = await (await caches.open(KEPT)).match('/');
    if (kept) return kept;
    throw error;
  }
}

/** Caches a page with the files it refers to. Files of other versions of the console are removed. */
async function keepPage(answer) {
  if (!answer.ok || answer.redirected || !(answer.headers.get('content-type') ?? '').startsWith('text/html')) return;
  const page = answer.clone();
  const text = await answer.text();
  const kept = await caches.open(KEPT);
  const before = await kept.match('/');
  if (before && (await before.text()) === text) return;
  for (const file of await kept.keys()) await kept.delete(file);
  await kept.put('/', page);
  const named = new Set(text.match(/\/assets\/[\w.-]+/g) ?? []);
  for (const file of named) await keepFile(kept, file).catch(() => undefined);
}

async function keepFile(kept, file) {
  const answer = await fetch(file);
  if (answer.ok) await kept.put(file, answer);
}

/** The name of a file changes with its content, so a cached file is always current. */
async function fileOf(request) {
  const kept = await caches.open(KEPT);
  const found = await kept.match(request.url);
  if (found) return found;
  const answer = await fetch(request);
  if (answer.ok && answer.status === 200) await kept.put(request.url, answer.clone()).catch(() => undefined);
  return answer;
}

self.addEventListener('push', (event) => {
  const news = read(event.data);
  event.waitUntil(
    self.registration.showNotification(news.title ?? 'Trackway', {
      body: news.body,
      tag: news.tag,
      icon: '/icon-192.png',
      timestamp: news.timestamp ? Date.parse(news.timestamp) : undefined,
      data: { path: pathOf(news) },
    }),
  );
});

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data?.path ?? '/notifications'));
});

function read(data) {
  try {
    return data?.json() ?? {};
  } catch {
    return { body: data.text() };
  }
}

/** The path to open: the page that explains why it fired. Only paths of this site are allowed. */
function pathOf({ notificationId, url }) {
  if (Number.isInteger(notificationId)) return `/notifications/${notificationId}`;
  return typeof url === 'string' && /^\/(?!\/)/.test(url) ? url : '/notifications';
}

async function open(path) {
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const [first] = windows;
  if (!first) return self.clients.openWindow(path);
  await first.focus();
  return first.navigate(path).catch(() => self.clients.openWindow(path));
}
