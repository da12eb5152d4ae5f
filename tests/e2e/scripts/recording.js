() => {
  self.registration.showNotification = async (title, options) => (self.shown = { title, ...options });
  self.clients.openWindow = async (path) => (self.opened = path);
}
