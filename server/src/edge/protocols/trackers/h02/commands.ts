import { isOn, safeText, secondsOf } from '../text/cut.ts';
import { digitsOf } from '../text/numbers.ts';
import type { CommandName, EncodedCommand, TrackerCommand, TrackerSession } from '../tracker.ts';

export const COMMANDS: readonly CommandName[] = ['reboot', 'interval', 'engineStop', 'engineResume', 'alarmArm'];

const MARKS = /[*#]/;
/** Some manufacturers use another keyword for the interval. */
const SHORT_INTERVAL_MODELS = /^H0?[268]\b|^CJ720/i;

/** `*HQ,id,word,hhmmss,arguments#`. The reply contains the keyword and the time. */
export function encode(command: TrackerCommand, session: TrackerSession): EncodedCommand | undefined {
  const words = wordsOf(command, session);
  if (!words || session.identity === undefined) return undefined;
  const [word, ...parameters] = words;
  const time = digitsOf(session.now).slice(8);
  return {
    bytes: Buffer.from(`*${['HQ', session.identity, word, time, ...parameters].join(',')}#`, 'latin1'),
    correlation: `${word},${time}`,
  };
}

/** A text is a keyword with its arguments, `S71,22,60`; the frame is built around it. */
function wordsOf(command: TrackerCommand, { model }: TrackerSession): readonly string[] | undefined {
  if ('text' in command) return safeText(command.text, MARKS)?.split(',');
  switch (command.name) {
    case 'engineStop':
      return ['S20', '1', '1'];
    case 'engineResume':
      return ['S20', '1', '0'];
    case 'alarmArm':
      return isOn(command.parameters) ? ['SCF', '0', '0'] : ['SCF', '1', '1'];
    case 'reboot':
      return ['R1'];
    case 'interval': {
      const seconds = secondsOf(command.parameters, 1, 86_400);
      if (seconds === undefined) return undefined;
      return SHORT_INTERVAL_MODELS.test(model ?? '') ? ['D1', `${seconds}`] : ['S71', '22', `${seconds}`];
    }
    default:
      return undefined;
  }
}
