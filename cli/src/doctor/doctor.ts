import { SETTINGS, type Settings } from '@trackway/server/app/settings.ts';
import { type Declaration, environmentName } from '@trackway/server/platform/settings.ts';
import type { Command, Given } from '../command.ts';
import { type SettingName, settingFlags, settingsOf, sourceOf } from '../setting-flags.ts';
import { problemsOf } from '../setting-rules.ts';
import { checkDamage } from './damage.ts';
import { checkDatabase, checkLock, isInUse } from './database.ts';
import { type Finding, fail, warn } from './finding.ts';
import { checkKey } from './key.ts';
import { checkFolder, checkNode } from './machine.ts';
import { checkCertificates, checkExposure, checkPort } from './network.ts';
import { checkOutgoing } from './outgoing.ts';

export const command: Command = {
  describe: () => ({
    about:
      'Show every setting with its value and source, and check the machine, the data and the network for problems. Nothing is changed. The exit code is 1 if a check fails.',
    flags: settingFlags(),
  }),

  async run(given) {
    const { values: settings, problems, warnings } = settingsOf(given);
    console.log(`Settings\n${listed(settings, given)}\n\nChecks`);
    const wrong = [...problems, ...problemsOf(settings)];
    const findings = [...wrong.map(fail), ...warnings.map(warn), ...(await check(settings, wrong))];
    for (const { verdict, sentence } of findings) console.log(`  ${verdict.padEnd(4)}  ${sentence}`);
    const count = (wanted: Finding['verdict']) => findings.filter(({ verdict }) => verdict === wanted).length;
    console.log(`\nok: ${count('ok')}, warnings: ${count('warn')}, failed: ${count('FAIL')}`);
    return count('FAIL') === 0 ? 0 : 1;
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
  // Without a valid database URL there is nothing else to check.
  if (wrong.some((sentence) => sentence.startsWith(environmentName('databaseUrl')))) return [checkNode()];
  const inUse = isInUse(settings);
  return [
    checkNode(),
    ...checkFolder(settings),
    ...checkKey(settings),
    ...(await checkDatabase(settings)),
    ...(await checkDamage(settings, inUse)),
    ...checkLock(inUse),
    await checkPort(settings, inUse),
    ...(wrong.some((sentence) => sentence.includes('_CERT')) ? [] : checkCertificates(settings, Date.now())),
    ...(wrong.some((sentence) => sentence.startsWith(environmentName('publicUrl'))) ? [] : checkExposure(settings)),
    ...checkOutgoing(settings),
  ];
}
