import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { ROOT } from './step.ts';

/** A program from Go's registry of modules, for example `example.com/cmd/name@v1.0.0`. */
export type GoModule = `${string}@v${string}`;

const placeOf = (module: GoModule) => {
  const [path, version] = module.split('@') as [string, string];
  const name = path.split('/').at(-1)!;
  return { name, folder: join(ROOT, 'node_modules/.cache', `${name}-${version}`) };
};

/** Where a program is: the one of this machine, or the one that was built before. */
export function goProgramPlace(module: GoModule): string | undefined {
  const { name, folder } = placeOf(module);
  const folders = [...(process.env.PATH ?? '').split(delimiter), folder];
  return folders.map((one) => join(one, name)).find((file) => existsSync(file));
}

/** Builds a program unless it is here. @returns undefined without Go */
export function haveGoProgram(module: GoModule): string | undefined {
  if (goProgramPlace(module) === undefined) {
    console.log(`\n── Build ${module}`);
    const env = { ...process.env, GOBIN: placeOf(module).folder };
    spawnSync('go', ['install', module], { stdio: 'inherit', env });
  }
  return goProgramPlace(module);
}
