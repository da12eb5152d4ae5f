() => {
  document.querySelector(".way p").className = "";
  document.querySelector(".way strong").innerHTML = "play.school.at<wbr>/cup/HJ7KM";
}
