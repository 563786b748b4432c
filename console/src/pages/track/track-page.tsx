import { useEffect } from 'react';
import { Redirect } from 'wouter';
import { useSession } from '../../api/session.ts';
import { useFormat } from '../../format/use-format.ts';
import { deviceInHash, type TrackedDevice, trackDevice, trackedDevice } from '../../forms/connect/tracked-device.ts';
import { SignInFrame } from '../../shell/sign-in-frame.tsx';
import { Waiting } from '../../shell/waiting.tsx';
import { useStore } from '../../store.ts';
import { t } from '../../texts/t.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { FieldStack } from '../../ui/fields/field.tsx';
import { keepsScreenOn } from '../../ui/keep-screen-on.ts';
import { Facts, Row } from '../../ui/page.tsx';
import { Notice } from '../../ui/states.tsx';
import { Ago } from '../../ui/time.tsx';
import { ChooseDevice } from './choose-device.tsx';
import { startTracker, stopTracker, tracker } from './tracker.ts';

const words = t.track;

/**
 * Reports the position of this browser while the page is open. It needs no sign-in, only the key of a device: from the
 * address, or of a device that the signed-in user chooses here.
 */
export default function TrackPage() {
  useOwnManifest();
  const device = useStore(trackedDevice);
  const { session, isKnown } = useSession();
  useEffect(() => {
    const given = deviceInHash(location.hash);
    if (given === undefined) return;
    if (given.key !== trackedDevice.get()?.key) trackDevice(given);
    // The key does not stay in the history of the browser.
    history.replaceState(history.state, '', '/track');
  }, []);
  if (device) return <Reporting key={device.key} device={device} />;
  if (deviceInHash(location.hash) || !isKnown) return <Waiting />;
  if (session === undefined) return <Redirect to="/sign-in?next=%2Ftrack" replace />;
  return (
    <SignInFrame title={words.title} lead={words.lead}>
      <ChooseDevice onChosen={(chosen) => trackDevice({ ...chosen, isOn: false })} />
    </SignInFrame>
  );
}

function Reporting({ device }: { device: TrackedDevice }) {
  const { isOn, problem, last, sentAt, unsent } = useStore(tracker);
  const format = useFormat();
  const isSignedIn = useSession().session !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: The buttons start and stop it later.
  useEffect(() => {
    if (device.isOn) startTracker(device.key);
    return stopTracker;
  }, []);
  const start = () => {
    trackDevice({ ...device, isOn: true });
    startTracker(device.key);
  };
  const stop = () => {
    trackDevice({ ...device, isOn: false });
    stopTracker();
  };
  return (
    <SignInFrame title={words.title} lead={words.as({ name: device.name || t.welcome.namePlaceholder })}>
      <FieldStack>
        <div role="status">
          {problem ? (
            <Notice tone={problem === 'offline' || problem === 'noPosition' ? 'warn' : 'danger'}>
              {words.problems[problem]}
            </Notice>
          ) : (
            isOn && <Notice tone="good">{last ? words.reporting : words.locating}</Notice>
          )}
        </div>
        <Facts
          facts={[
            [words.lastPosition, last && <Ago time={last.timestamp} happened />],
            [t.map.accuracy, last && t.map.accurate({ distance: format.distance(last.accuracy) })],
            [words.lastSent, sentAt && <Ago time={sentAt} happened />],
            [words.unsent, unsent > 0 ? words.unsentCount({ count: unsent }) : null],
          ]}
        />
        {isOn ? (
          <Button icon="pause" onClick={stop}>
            {words.stop}
          </Button>
        ) : (
          <Button kind="primary" icon="play" onClick={start}>
            {words.start}
          </Button>
        )}
        <Notice>{`${words.limits} ${keepsScreenOn ? words.screenOn : words.screenOff}`}</Notice>
        <p>{words.install}</p>
        <Row>
          <Button kind="plain" onClick={() => trackDevice(undefined)}>
            {words.other}
          </Button>
          {isSignedIn && (
            <ButtonLink kind="plain" icon="map" href="/">
              {t.map.title}
            </ButtonLink>
          )}
        </Row>
      </FieldStack>
    </SignInFrame>
  );
}

/** Installed from here, the app opens this page instead of the map. */
function useOwnManifest(): void {
  useEffect(() => {
    const link = document.querySelector<HTMLLinkElement>('link[rel=manifest]');
    const before = link?.getAttribute('href');
    link?.setAttribute('href', '/track.webmanifest');
    return () => link?.setAttribute('href', before!);
  }, []);
}
