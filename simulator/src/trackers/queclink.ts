import { dateOf, type TrackerVoice } from './voice.ts';

/** Queclink's text, with confirmations switched on. */
export const queclink: TrackerVoice = {
  isConfirmed: true,
  pointsPerFrame: 1,

  report(identity, [point], serial) {
    const { lat, lng } = point!.location;
    const at = dateOf(point!).toISOString().replaceAll(/\D/g, '').slice(0, 14);
    const fix = [1, (point!.speed ?? 0).toFixed(1), Math.round(point!.course ?? 0), (point!.altitude ?? 0).toFixed(1)];
    const cell = ['0262', '0001', '18d8', '6141', '00'];
    const count = (serial & 0xffff).toString(16).toUpperCase().padStart(4, '0');
    const fields = [
      '020102',
      identity,
      '',
      0,
      0,
      1,
      ...fix,
      lng.toFixed(6),
      lat.toFixed(6),
      at,
      ...cell,
      '',
      at,
      count,
    ];
    return Buffer.from(`+RESP:GTFRI,${fields.join(',')}$`, 'latin1');
  },

  onData(bytes) {
    const end = bytes.lastIndexOf('$') + 1;
    const answers = bytes.toString('latin1', 0, end).split('$').slice(0, -1);
    return {
      answers: answers.map((answer) => (answer.startsWith('+SACK:') ? 'confirmed' : 'other')),
      remaining: bytes.subarray(end),
    };
  },
};
