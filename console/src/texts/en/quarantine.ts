const items = (count: number | string) => (String(count) === '1' ? '1 item' : `${count} items`);

/** Quarantined items by cause, on the page of a device and on that of the server's health. */
export const quarantine = {
  title: 'Quarantine',
  causes: 'Quarantined items by cause',
  count: (count: string, devices: number | undefined) =>
    devices === undefined || devices < 2 ? items(count) : `${items(count)} of ${devices} devices`,
  release: 'Release',
  releaseAll: (reason: string) => `Release all: ${reason}`,
  discard: 'Discard',
  discardAll: (reason: string) => `Discard all: ${reason}`,
  released: (released: number, refused: number) =>
    refused === 0
      ? `Released ${items(released)}.`
      : `Released ${items(released)}. ${items(refused)} still cannot be right, so nothing changes for them.`,
  discarded: (count: number) => `Discarded ${items(count)}.`,
  sureTitle: 'Discard these items?',
  sure: 'They are deleted for good. Released items are taken in by their own times instead.',
  clockBehind: (span: string) =>
    `The clock of this server is ${span} behind the clocks of most devices. Set it: until then, correct positions are quarantined.`,
  clockAhead: (span: string) =>
    `The clock of this server is ${span} ahead of the clocks of most devices. Set it: until then, times of reception are wrong.`,
};
