import { identityOf, VOICES, type VoiceName } from '@trackway/simulator/trackers/voices.ts';
import { httpRoad } from '../simulate/http-road.ts';
import type { Road } from '../simulate/send.ts';
import { trackerRoad } from '../simulate/tracker-road.ts';

/** A device of the demo: one with a protocol reports like a tracker, the others over HTTP with their keys. */
export interface DemoSender {
  readonly id: number;
  readonly key: string;
  readonly protocol: VoiceName | undefined;
}

export interface DemoRoadOptions {
  readonly url: string;
  /** Undefined if the server does not listen for trackers: then all devices report over HTTP. */
  readonly trackersPort: number | undefined;
  readonly devices: readonly DemoSender[];
}

export function demoRoad({ url, trackersPort, devices }: DemoRoadOptions): Road {
  const http = httpRoad({ url, devices });
  if (trackersPort === undefined) return http;
  const speakers = devices.flatMap(({ protocol }, device) =>
    protocol === undefined ? [] : [{ device, voice: VOICES[protocol], identity: nameOf(protocol, device) }],
  );
  const places = new Map(speakers.map(({ device }, place) => [device, place]));
  const trackers = trackerRoad({ host: new URL(url).hostname, port: trackersPort, devices: speakers });
  return {
    send(transmission, tally, signal) {
      const place = places.get(transmission.device);
      return place === undefined
        ? http.send(transmission, tally, signal)
        : trackers.send({ ...transmission, device: place }, tally, signal);
    },
    close: () => trackers.close?.(),
  };
}

function nameOf(protocol: VoiceName, device: number): string {
  const { imei, serial } = identityOf(protocol, device);
  return (imei ?? serial)!;
}
