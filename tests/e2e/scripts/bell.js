// A headless browser shows no notifications and hides no page, so this records the requests.
window.rung = [];
window.Notification = class {
  static permission = "default";
  static requestPermission() { return Promise.resolve((this.permission = "granted")); }
  constructor(title, { body }) { rung.push(`${title}: ${body}`); }
};
Object.defineProperty(document, "hidden", { get: () => true });
