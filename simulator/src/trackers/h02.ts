import { dateOf, type TrackerVoice } from './voice.ts';

/** H02's text. */
export const h02: TrackerVoice = {
  isConfirmed: true,
  pointsPerFrame: 1,

  report(identity, [point]) {
    const { lat, lng } = point!.location;
    const [date, clock] = dateOf(point!).toISOString().split('T') as [string, string];
    const [year, month, day] = date.slice(2).split('-');
    const time = clock.slice(0, 8).replaceAll(':', '');
    const knots = ((point!.speed ?? 0) / 1.852).toFixed(2);
    const place = [degrees(lat, 2), lat < 0 ? 'S' : 'N', degrees(lng, 3), lng < 0 ? 'W' : 'E'];
    const fields = [
      identity,
      'V1',
      time,
      'A',
      ...place,
      knots,
      Math.round(point!.course ?? 0),
      `${day}${month}${year}`,
      'FFFFFBFF',
    ];
    return Buffer.from(`*HQ,${fields.join(',')}#`, 'latin1');
  },

  onData(bytes) {
    const end = bytes.lastIndexOf('#') + 1;
    const answers = bytes.toString('latin1', 0, end).split('#').slice(0, -1);
    return {
      answers: answers.map((answer) => (answer.includes(',V4,V1,') ? 'confirmed' : 'other')),
      remaining: bytes.subarray(end),
    };
  },
};

/** Degrees and minutes in one number: 4807.0380. */
function degrees(value: number, digits: number): string {
  const tenThousandths = Math.round(Math.abs(value) * 600_000);
  const whole = Math.floor(tenThousandths / 600_000);
  return `${String(whole).padStart(digits, '0')}${((tenThousandths % 600_000) / 10_000).toFixed(4).padStart(7, '0')}`;
}
