import { readFileSync } from 'node:fs';

/**
 * Starts Trackway as an add-on of Home Assistant: the options of the user become settings, and the broker of Home Assistant
 * is used if there is one. Arguments: the file of the options, the program and its arguments.
 */
const [file, program, ...words] = process.argv.slice(2);
const options = JSON.parse(readFileSync(file, 'utf8'));
const env = { ...process.env, TRACKWAY_HOST: '0.0.0.0', TRACKWAY_DATA: '/data/trackway' };
const { SUPERVISOR_TOKEN: token, SUPERVISOR_URL: supervisor = 'http://supervisor' } = env;
delete env.SUPERVISOR_TOKEN;
if (options.public_url) env.TRACKWAY_PUBLIC_URL = options.public_url;
const broker = token && (await brokerOf());
if (broker) {
  const { ssl, username, password, host, port } = broker;
  const user = `${encodeURIComponent(username)}:${encodeURIComponent(password)}`;
  env.TRACKWAY_MQTT_URL = `${ssl ? 'mqtts' : 'mqtt'}://${user}@${host}:${port}`;
  if (options.show_devices_of) env.TRACKWAY_HOME_ASSISTANT = options.show_devices_of;
}
for (const { name, value } of options.settings ?? []) env[name] = value;
process.execve(program, [program, ...words], env);

async function brokerOf() {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${supervisor}/services/mqtt`, { headers, signal: AbortSignal.timeout(10_000) });
  // Without an add-on for MQTT, there is none.
  return answer.ok ? (await answer.json()).data : undefined;
}
