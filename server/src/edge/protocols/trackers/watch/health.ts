import { decimalOf } from '../text/numbers.ts';
import { readingsOf } from '../text/readings.ts';
import type { TrackerReading } from '../tracker.ts';

/** What a watch measures of its wearer; undefined if the word is none of these. A value of 0 is none. */
export function healthOf(word: string, values: readonly string[]): readonly TrackerReading[] | undefined {
  const [first, second, third] = values.map((value) => decimalOf(value) || undefined);
  switch (word.toLowerCase()) {
    case 'heart':
    case 'pulse':
      return readingsOf({ heart_rate: first });
    case 'blood':
    case 'bphrt':
      return readingsOf({
        blood_pressure:
          first === undefined || second === undefined ? undefined : { systolic: first, diastolic: second },
        heart_rate: third,
      });
    case 'temp':
      return readingsOf({ body_temp: first });
    case 'btemp2':
      return readingsOf({ body_temp: first === undefined ? undefined : second });
    case 'oxygen':
      return readingsOf({ oxygen: second });
    default:
      return undefined;
  }
}
