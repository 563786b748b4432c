/** Addresses and settings that a device needs. */

export const ingestAddress = (base: string, protocol: 'owntracks' | 'osmand', key: string) =>
  `${base}/ingest/${protocol}/${key}`;

/** OwnTracks opens such a link and takes its settings from it. Mode 3 is HTTP. */
export function ownTracksLink(base: string, key: string, deviceId: number): string {
  const settings = {
    _type: 'configuration',
    mode: 3,
    url: ingestAddress(base, 'owntracks', key),
    deviceId: `trackway-${deviceId}`,
    tid: String(deviceId).slice(-2).padStart(2, '0'),
    monitoring: 1,
  };
  return `owntracks:///config?inline=${btoa(JSON.stringify(settings)).replaceAll('=', '')}`;
}

export const curlCommand = (base: string, key: string) =>
  `curl -X POST ${base}/ingest/reports \\
  -H 'Authorization: ${key}' -H 'Content-Type: application/json' \\
  -d '{"points":[{"location":{"lat":52.3740,"lng":4.8897},"speed":0,"accuracy":10}]}'`;
