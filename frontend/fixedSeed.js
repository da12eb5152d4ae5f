// Loaded before the tests: each run tries the same examples.
import { configureGlobal } from "fast-check";

configureGlobal({ seed: 1 });
