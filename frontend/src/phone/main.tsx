import { render } from "preact";
import "../live/tokens.css";
import { keepAwake } from "./awake";
import { Phone } from "./Phone";
import "./phone.css";

keepAwake();
addEventListener("hashchange", () => location.reload());
render(<Phone />, document.getElementById("app")!);
