/** The SMS for configuring trackers. A test keeps them in sync with `docs/devices/trackers.md`. */

interface Maker {
  readonly protocol: string;
  /** As on labels and in manuals. */
  readonly models: string;
  /** `HOST`, `PORT` and `APN` are placeholders. */
  readonly texts: readonly string[];
  /** Replaces the text with the same index if the host is an IP address. */
  readonly byIp?: readonly [index: number, text: string];
}

export const MAKERS: readonly Maker[] = [
  {
    protocol: 'gt06',
    models: 'Concox, Jimi, EV02',
    texts: ['APN,APN#', 'SERVER,1,HOST,PORT,0#', 'TIMER,60,900#'],
    byIp: [1, 'SERVER,0,HOST,PORT,0#'],
  },
  {
    protocol: 'h02',
    models: 'Sinotrack ST-901 … ST-906, CJ720, LK109',
    texts: ['8030000 APN', '8040000 HOST PORT', '8050000 60', '7100000'],
  },
  {
    protocol: 'gps103',
    models: 'Coban TK103A/B, TK303, TK306',
    texts: ['begin123456', 'apn123456 APN', 'adminip123456 HOST PORT', 'gprs123456', 'fix030s***n123456'],
  },
  {
    protocol: 'xexun',
    models: 'Xexun TK102, TK103-2',
    texts: ['apn123456 APN', 'adminip123456 HOST PORT', 't030s***n123456'],
  },
  {
    protocol: 'watch',
    models: 'SeTracker, Beesure, Wonlex, Q50, Q90, A16',
    texts: ['pw,123456,ts#', 'pw,123456,ip,HOST,PORT#', 'pw,123456,upload,600#'],
  },
  {
    protocol: 'teltonika',
    models: 'Teltonika FMB, FMC, FMM, FMU, TAT, TMT',
    texts: ['  setparam 2001:APN;2004:HOST;2005:PORT;2006:0'],
  },
  {
    protocol: 'queclink',
    models: 'Queclink GL300',
    texts: ['AT+GTBSI=gl300,APN,,,,,,,0002$', 'AT+GTSRI=gl300,3,,1,HOST,PORT,,,,5,1,,,,,0003$'],
  },
];

export interface SmsValues {
  readonly host: string;
  readonly port: number;
  readonly apn: string;
}

const IP = /^\d{1,3}(?:\.\d{1,3}){3}$/;

export function smsTexts({ texts, byIp }: Maker, { host, port, apn }: SmsValues): string[] {
  const [index, other] = byIp ?? [];
  const chosen = texts.map((text, at) => (at === index && IP.test(host) ? other! : text));
  // The first word of GT06 is APN too, and is not a placeholder.
  return chosen.map((text) =>
    text.replaceAll(/HOST|PORT|(?<=.)APN/g, (name) => (name === 'HOST' ? host : name === 'PORT' ? String(port) : apn)),
  );
}
