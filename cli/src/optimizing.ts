import { setFlagsFromString } from 'node:v8';

/**
 * Has the engine optimize code that runs often, or not. What a start runs often, a server hardly runs later; and one with
 * little to do then never uses the optimizing compilers, which are 8 MB of memory.
 */
export function setOptimizing(isOn: boolean): void {
  for (const compiler of ['maglev', 'turbofan']) setFlagsFromString(`--${isOn ? '' : 'no-'}${compiler}`);
}
