const bytes = (text) => {
  const decoded = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(decoded, (one) => one.charCodeAt(0));
};
const made = () => ({
  endpoint: given.endpoint,
  options: { applicationServerKey: bytes(localStorage.subscribed).buffer },
  toJSON: () => ({ endpoint: given.endpoint, keys: { p256dh: given.p256dh, auth: given.auth } }),
});
PushManager.prototype.getSubscription = async () => (localStorage.subscribed ? made() : null);
PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
  localStorage.subscribed = applicationServerKey;
  return made();
};
const { unregister } = ServiceWorkerRegistration.prototype;
ServiceWorkerRegistration.prototype.unregister = function () {
  localStorage.removeItem("subscribed");
  return unregister.call(this);
};
