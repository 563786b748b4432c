import { number } from '../counting.ts';

const times = (count: number) => (count === 1 ? 'once' : `${number(count)} times`);

/** Trackers that speak a protocol of their own. */
export const trackers = {
  /** "GT06", "Teltonika" */
  protocol: (name: string) => (/\d/.test(name) ? name.toUpperCase() : name.charAt(0).toUpperCase() + name.slice(1)),

  knocks: {
    title: 'Devices that knock',
    lead: 'Trackers that connected to this server but are not known yet. Add one, and its next report is stored.',
    empty: 'No tracker has knocked yet.',
    emptyHint: 'Set a tracker to this address. It appears here as soon as it connects.',
    setUp: 'Set trackers to this address:',
    host: 'Host',
    port: 'Port',
    portHint: 'Every protocol, by TCP and UDP.',
    noPort: 'This server does not listen to trackers: its port was taken, or TRACKWAY_TRACKERS_PORT switches it off.',
    local: 'Trackers cannot reach this address from outside. Enter the public address of this server in the tracker.',
    docs: 'How trackers connect',
    last: 'Last seen',
    first: 'first',
    count: times,
    from: (address: string) => `from ${address}`,
    add: 'Add…',
    addOne: (identity: string) => `Add ${identity}…`,
    addTitle: 'Add this tracker?',
    addText: (identity: string) =>
      `${identity} becomes your device and may report by this identity alone, without a key.`,
    name: 'Device name',
    nameHint: 'You can change it later.',
    addAction: 'Add device',
    added: (name: string) => `${name} was added. Its next report is stored.`,
    view: 'View device',
    dismiss: 'Dismiss',
    dismissOne: (identity: string) => `Dismiss ${identity}`,
    dismissed: (identity: string) => `${identity} was dismissed. It appears again if it connects again.`,
  },

  undecoded: {
    title: 'Not understood',
    lead: 'What trackers sent and could not be read. Nothing of it was stored.',
    label: 'Data of trackers that could not be read',
    count: times,
    last: 'last',
    from: (address: string) => `from ${address}`,
    sample: 'Last sample, hexadecimal',
    unknown: 'Unknown protocol',
  },
};
