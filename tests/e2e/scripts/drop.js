([text, name]) => {
  const data = new DataTransfer();
  data.items.add(new File([text], name));
  const drop = new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: data });
  document.querySelector(".picker").dispatchEvent(drop);
}
