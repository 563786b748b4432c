import { useRead } from '../../api/calls.ts';
import { duration } from '../../format/quantities.ts';
import { useNow } from '../../format/use-format.ts';
import { useStore } from '../../store.ts';
import { t } from '../../texts/t.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { CopyField } from '../../ui/fields/copy-field.tsx';
import { QrCode } from '../../ui/figures/qr-code.tsx';
import { Loaded, Notice } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { curlCommand, ingestAddress, ownTracksLink, TEMPLATE_APPS, templateAddress } from './connect-texts.ts';
import { PhoneBase } from './phone-base.tsx';
import { drive, startDrive, stopDrive } from './simulated-drive.ts';
import { trackAddress } from './tracked-device.ts';
import css from './ways.module.css';

export const WAYS = ['simulate', 'browser', 'phone', 'traccar', 'curl'] as const;
export type Way = (typeof WAYS)[number];

interface Connection {
  readonly base: string;
  readonly deviceId: number;
  readonly deviceKey: string;
  /** Of the device. */
  readonly name?: string;
}

/** The ways to connect a device; one of them is open. */
export function WaysToConnect<W extends Way>({
  ways,
  way,
  onChange,
  ...connection
}: Connection & { ways: readonly W[]; way: W; onChange: (way: W) => void }) {
  return (
    <Tabs
      tabs={ways.map((key) => ({ key, label: t.welcome[key] }))}
      active={way}
      onChange={onChange}
      label={t.welcome.ways}
    >
      <WayToConnect way={way} {...connection} />
    </Tabs>
  );
}

function WayToConnect({ way, ...connection }: Connection & { way: Way }) {
  switch (way) {
    case 'browser':
      return <WebTracker {...connection} />;
    case 'phone':
      return <PhoneBase>{(base) => <OwnTracks {...connection} base={base} />}</PhoneBase>;
    case 'traccar':
      return <PhoneBase>{(base) => <TraccarClient {...connection} base={base} />}</PhoneBase>;
    case 'curl':
      return (
        <div className={css.way}>
          <p>{t.welcome.curlLead}</p>
          <CopyField value={curlCommand(connection.base, connection.deviceKey)} label={t.welcome.command} />
        </div>
      );
    case 'simulate':
      return <Simulation {...connection} />;
  }
}

/** The page that reports from a browser: of this machine, or of a phone that scans the code. */
function WebTracker({ deviceKey: key, name = '' }: Connection) {
  return (
    <div className={css.way}>
      <p>{t.track.wayLead}</p>
      <div>
        <ButtonLink kind="primary" icon="phone" href={trackAddress('', { key, name })}>
          {t.track.wayHere}
        </ButtonLink>
      </div>
      <p>{t.track.wayPhone}</p>
      <PhoneBase>
        {(base) =>
          base.startsWith('https:') ? (
            <QrCode text={trackAddress(base, { key, name })} label={t.welcome.code} />
          ) : (
            <Notice tone="warn">{t.track.problems.insecure}</Notice>
          )
        }
      </PhoneBase>
    </div>
  );
}

function OwnTracks({ base, deviceId, deviceKey }: Connection) {
  const [install, scan, enter] = t.welcome.owntracks;
  const query = useRead('getDeviceSecret', { id: deviceId });
  const secret = query.data?.secret ?? undefined;
  return (
    <ol className={css.way}>
      <li>{install}</li>
      <li>
        {scan}
        <Loaded query={query} lines={4}>
          {() => <QrCode text={ownTracksLink(base, deviceKey, deviceId, secret)} label={t.welcome.code} />}
        </Loaded>
      </li>
      <li>
        {enter}
        <CopyField value={ingestAddress(base, 'owntracks', deviceKey)} label={t.welcome.address} />
        {secret !== undefined && <CopyField value={secret} label={t.deviceAccess.secretNow} />}
      </li>
    </ol>
  );
}

function TraccarClient({ base, deviceKey }: Connection) {
  const [install, enter, start] = t.welcome.traccarSteps;
  const address = ingestAddress(base, 'osmand', deviceKey);
  return (
    <ol className={css.way}>
      <li>{install}</li>
      <li>
        {enter}
        <CopyField value={address} label={t.welcome.address} />
        <QrCode text={address} label={t.welcome.code} />
      </li>
      <li>{start}</li>
      <li>
        {t.welcome.otherApps}
        {TEMPLATE_APPS.map((app) => (
          <CopyField key={app} value={templateAddress(app, base, deviceKey)} label={app} />
        ))}
      </li>
    </ol>
  );
}

function Simulation({ deviceId, deviceKey }: Connection) {
  const current = useStore(drive);
  const now = useNow(1000);
  const isDriving = current?.deviceId === deviceId && !current.hasFailed;
  return (
    <div className={css.way}>
      <p>{t.welcome.simulateLead}</p>
      {current?.hasFailed && <Notice tone="danger">{t.welcome.simulationFailed}</Notice>}
      {isDriving ? (
        <>
          <p className={css.soft}>
            {t.welcome.simulating({ left: duration(Math.max(0, current.endsAt - now) / 1000) })}
          </p>
          <div>
            <Button icon="pause" onClick={stopDrive}>
              {t.welcome.simulateStop}
            </Button>
          </div>
        </>
      ) : (
        <div>
          <Button kind="primary" icon="car" onClick={() => void startDrive(deviceId, deviceKey)}>
            {t.welcome.simulateStart}
          </Button>
        </div>
      )}
    </div>
  );
}
