import { type Declaration, environmentName } from '@trackway/server/platform/settings.ts';
import { SETTINGS, type Settings } from '@trackway/server/settings.ts';
import type { Command, Given } from '../command.ts';
import { type SettingName, settingFlags, settingsOf, sourceOf } from '../setting-flags.ts';
import { problemsOf } from '../setting-rules.ts';
import { checkDatabase, checkLock, isHeld } from './database.ts';
import { type Finding, fail, warn } from './finding.ts';
import { checkFolder, checkNode } from './machine.ts';
import { checkExposure, checkPort } from './network.ts';
import { checkOutgoing } from './outgoing.ts';

export const command: Command = {
  describe: () => ({
    about:
      'Prints every setting, its value and where that comes from; then checks the machine, the data and the network, and says what is wrong. It changes nothing. Exit code 1 if anything FAILs.',
    flags: settingFlags(),
  }),

  async run(given) {
    const { values: settings, problems, warnings } = settingsOf(given);
    console.log(`Settings\n${listed(settings, given)}\n\nChecks`);
    const wrong = [...problems, ...problemsOf(settings)];
    const findings = [...wrong.map(fail), ...warnings.map(warn), ...(await check(settings, wrong))];
    for (const { verdict, sentence } of findings) console.log(`  ${verdict.padEnd(4)}  ${sentence}`);
    const failed = findings.filter(({ verdict }) => verdict === 'FAIL').length;
    console.log(`\n${failed === 0 ? 'Nothing is in the way.' : `${failed} of these must be mended first.`}`);
    return failed === 0 ? 0 : 1;
  },
};

function listed(settings: Settings, given: Given): string {
  return (Object.keys(SETTINGS) as SettingName[])
    .map((name) => {
      const { about }: Declaration<unknown> = SETTINGS[name];
      return `  ${environmentName(name).padEnd(25)}  ${shown(name, settings)}  (${sourceOf(name, given)})\n      ${about}`;
    })
    .join('\n');
}

function shown(name: SettingName, settings: Settings): string {
  const value = settings[name];
  if (value === '') return '–';
  return (SETTINGS[name] as Declaration<unknown>).secret ? '***' : String(value);
}

async function check(settings: Settings, wrong: readonly string[]): Promise<Finding[]> {
  // With an address that is none there is nothing to look at.
  if (wrong.some((sentence) => sentence.startsWith(environmentName('databaseUrl')))) return [checkNode()];
  const held = isHeld(settings);
  return [
    checkNode(),
    ...checkFolder(settings),
    ...(await checkDatabase(settings)),
    ...checkLock(held),
    await checkPort(settings, held),
    ...(wrong.some((sentence) => sentence.startsWith(environmentName('publicUrl'))) ? [] : checkExposure(settings)),
    ...checkOutgoing(settings),
  ];
}
