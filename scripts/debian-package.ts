import { existsSync } from 'node:fs';
import { step } from './step.ts';

/** Installs a package of Debian that tests need, where that is possible; says loudly what is not tested otherwise. */
export async function havePackage(name: string, isThere: () => boolean, otherwise: string): Promise<void> {
  if (isThere()) return;
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    const install = `apt-get update && apt-get install -y --no-install-recommends ${name}`;
    try {
      await step(`Install ${name}`, 'sh', ['-c', install], { DEBIAN_FRONTEND: 'noninteractive' });
      return;
    } catch (error) {
      console.error(`\n*** ${name} could not be installed: ${error instanceof Error ? error.message : error} ***`);
    }
  }
  console.error(`\n*** ${otherwise} ***\n`);
}
