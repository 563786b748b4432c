export const phoneAddress = {
  label: 'Address of this server for the phone',
  hint: 'The phone must be able to open it: at home, it must be in the same network.',
  other: 'Another address…',
  otherLabel: 'Address that the phone can reach',
  otherPlaceholder: 'https://tracking.example.com',
  invalid:
    'Enter an address such as https://tracking.example.com. This machine’s own address, such as 127.0.0.1, works on no phone.',
  localOnly:
    'A phone cannot reach this server yet: it accepts connections only from this machine. Start it with TRACKWAY_HOST=0.0.0.0 to use it in your network. To use it everywhere, put a TLS proxy in front of it and set TRACKWAY_PUBLIC_URL.',
  unknown:
    'This server does not know an address that a phone can reach. Set TRACKWAY_PUBLIC_URL, or enter the address of this machine in your network.',
  first:
    'A phone cannot reach this server yet: it accepts connections only from this machine. To connect one, first start it with TRACKWAY_HOST=0.0.0.0, or set TRACKWAY_PUBLIC_URL behind a TLS proxy. A simulated device works as it is.',
  keeps: 'The key stays here while this page is open: start the server anew, then check again.',
  check: 'Check again',
};
