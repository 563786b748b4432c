/** "GT06", "Teltonika" */
export const protocolName = (name: string) =>
  /\d/.test(name) ? name.toUpperCase() : name.charAt(0).toUpperCase() + name.slice(1);
