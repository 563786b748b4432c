/** Addresses and settings that a device needs. */

export const ingestAddress = (base: string, protocol: 'owntracks' | 'osmand', key: string) =>
  `${base}/ingest/${protocol}/${key}`;

/**
 * OwnTracks opens such a link and imports its settings. Mode 3 is HTTP.
 * @param secret the encryption secret for the app, if it must encrypt
 */
export function ownTracksLink(base: string, key: string, deviceId: number, secret?: string): string {
  const settings = {
    _type: 'configuration',
    mode: 3,
    url: ingestAddress(base, 'owntracks', key),
    deviceId: `trackway-${deviceId}`,
    tid: String(deviceId).slice(-2).padStart(2, '0'),
    monitoring: 1,
    ...(secret !== undefined && { encryptionKey: secret }),
  };
  // The secret may contain any character; base64 encodes bytes.
  const bytes = String.fromCharCode(...new TextEncoder().encode(JSON.stringify(settings)));
  return `owntracks:///config?inline=${encodeURIComponent(btoa(bytes).replaceAll('=', ''))}`;
}

/** Placeholders of each app. Both apps send metres per second, while the protocol means knots. */
const TEMPLATES = {
  OsmAnd: 'lat={0}&lon={1}&timestamp={2}&hdop={3}&altitude={4}&speed={5}&bearing={6}',
  GPSLogger: 'lat=%LAT&lon=%LON&timestamp=%TIMESTAMP&accuracy=%ACC&altitude=%ALT&speed=%SPD&bearing=%DIR&batt=%BATT',
};
export const TEMPLATE_APPS = Object.keys(TEMPLATES) as (keyof typeof TEMPLATES)[];

export const templateAddress = (app: keyof typeof TEMPLATES, base: string, key: string) =>
  `${ingestAddress(base, 'osmand', key)}?speedUnit=ms&${TEMPLATES[app]}`;

export const curlCommand = (base: string, key: string) =>
  `curl -X POST ${base}/ingest/reports \\
  -H 'Authorization: ${key}' -H 'Content-Type: application/json' \\
  -d '{"points":[{"location":{"lat":52.3740,"lng":4.8897},"speed":0,"accuracy":10}]}'`;
