import { decimalOf, readingsOf } from '../text/numbers.ts';
import type { TrackerReading } from '../tracker.ts';

/** Health measurements of a watch; undefined if the keyword is another one. A value of 0 means no measurement. */
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
