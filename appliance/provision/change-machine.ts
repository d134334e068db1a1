/** Runs as root when the owner changes the machine's own settings: see tallydeck-machine.service. */
import { runProgram } from "../system/program.ts";
import { changeMachine } from "./machine.ts";

changeMachine({ root: "/", run: runProgram });
