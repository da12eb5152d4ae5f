(data) => {
  const notification = { data, close() {} };
  self.dispatchEvent(Object.assign(new ExtendableEvent("notificationclick"), { notification }));
}
