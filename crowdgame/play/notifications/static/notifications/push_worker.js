// Shows push notifications and opens their page. Caches nothing.
self.addEventListener("push", (event) => {
  const { title, path, ...options } = event.data.json();
  event.waitUntil(self.registration.showNotification(title, { ...options, data: path, renotify: true }));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data));
});

async function open(path) {
  const pages = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const page = pages.find(({ url }) => new URL(url).pathname === path);
  return page ? page.focus() : self.clients.openWindow(path);
}
