/* Shows what the server pushes to this browser. It keeps nothing, and serves no pages. */

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

self.addEventListener('push', (event) => {
  const news = read(event.data);
  event.waitUntil(
    self.registration.showNotification(news.title ?? 'Trackway', {
      body: news.body,
      tag: news.tag,
      icon: '/pages/icon.svg',
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

/** Why it fired is the first thing one wants to know. Paths of this site only, whatever the message says. */
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
