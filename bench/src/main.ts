import { benchApi } from './api.ts';
import { benchBefore } from './before.ts';
import { benchBroker } from './broker.ts';
import { benchBytes } from './bytes.ts';
import { benchCitus } from './cluster/citus.ts';
import { benchNodes } from './cluster/nodes.ts';
import { benchConsole } from './console.ts';
import { benchFencesQuality } from './fences-quality.ts';
import { benchFleet } from './fleet-summary.ts';
import { benchGeofences } from './geofences.ts';
import { benchHostile } from './hostile.ts';
import { benchImport } from './import.ts';
import { benchIngest } from './ingest.ts';
import { benchLive } from './live.ts';
import { benchOutbox } from './outbox.ts';
import { benchPeers } from './peers.ts';
import { printMachine } from './print/machine.ts';
import { benchReports } from './reports.ts';
import { benchScale } from './scale.ts';
import { benchSimulateCluster } from './simulate-cluster.ts';
import { benchStart } from './start.ts';
import { benchTrackers } from './trackers.ts';
import { benchTrips } from './trips.ts';

/** `npm run bench` runs all of them; `npm run bench -- api` one, `-- api --postgres` adds PostgreSQL. */
const BENCHES: Record<string, (flags: ReadonlySet<string>) => Promise<void>> = {
  start: benchStart,
  api: benchApi,
  scale: benchScale,
  bytes: benchBytes,
  ingest: benchIngest,
  before: benchBefore,
  import: benchImport,
  geofences: benchGeofences,
  'fences-quality': benchFencesQuality,
  trips: benchTrips,
  reports: benchReports,
  live: benchLive,
  outbox: benchOutbox,
  console: benchConsole,
  hostile: benchHostile,
  fleet: benchFleet,
  trackers: benchTrackers,
  nodes: benchNodes,
  citus: benchCitus,
  broker: benchBroker,
  peers: benchPeers,
  'simulate-cluster': benchSimulateCluster,
};

const words = process.argv.slice(2);
const flags = new Set(words.filter((word) => word.startsWith('--')));
const names = words.filter((word) => !word.startsWith('--'));
const unknown = names.filter((name) => !(name in BENCHES));
if (unknown.length > 0) {
  console.error(`There is no bench ${unknown.join(', ')}; there are: ${Object.keys(BENCHES).join(', ')}`);
  process.exit(1);
}

if (flags.has('--help')) {
  console.log(`npm run bench [-- NAME… --FLAG…]: all benches, or the named ones.\n\n  ${Object.keys(BENCHES).join('\n  ')}

What each measures and which flags it takes is said at the top of bench/src/NAME.ts.`);
  process.exit();
}

printMachine();
for (const name of names.length > 0 ? names : Object.keys(BENCHES)) await BENCHES[name]!(flags);
