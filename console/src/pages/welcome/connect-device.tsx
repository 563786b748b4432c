import { useEffect, useMemo, useState } from 'react';
import { useFleet } from '../../api/live/fleet.ts';
import { useServerInfo } from '../../api/server-info.ts';
import { WAYS, type Way, WaysToConnect } from '../../forms/connect/ways.tsx';
import { lookAt } from '../../map/camera.ts';
import { deviceLayer } from '../../map/fleet/device-layer.ts';
import type { MapLibre } from '../../map/map-part.ts';
import { MapView } from '../../map/map-view.tsx';
import { t } from '../../texts/t.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { CopyField } from '../../ui/fields/copy-field.tsx';
import { useTitle } from '../../ui/page.tsx';
import { SplitPanel } from '../../ui/split-panel.tsx';
import { Notice, Spinner } from '../../ui/states.tsx';
import css from './welcome.module.css';

/** How to connect one device, next to the map that will show it. */
export function ConnectDevice({ deviceId, name, deviceKey }: { deviceId: number; name: string; deviceKey: string }) {
  useTitle(t.welcome.connectTitle({ name }));
  const [way, setWay] = useState<Way>('simulate');
  const publicUrl = useServerInfo().data?.publicUrl;
  const base = publicUrl || location.origin;
  const [map, setMap] = useState<MapLibre>();
  const { devices, version } = useFleet();
  const device = devices.get(deviceId);
  const isPlaced = device?.lat !== undefined;
  const parts = useMemo(
    () => [
      deviceLayer({
        chosen: () => deviceId,
        isFollowing: () => true,
        onChoose: () => undefined,
        shows: ({ id }) => id === deviceId,
      }),
    ],
    [deviceId],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: Once, when the first position is there; following does the rest.
  useEffect(() => {
    if (map && isPlaced) lookAt(map, device, false);
  }, [map, isPlaced]);

  return (
    <SplitPanel
      label={t.welcome.connectTitle({ name })}
      panel={
        <div className={css.steps}>
          <div>
            <ButtonLink href="/devices" kind="quiet" size="small" icon="left">
              {t.device.back}
            </ButtonLink>
          </div>
          <h1>{t.welcome.connectTitle({ name })}</h1>
          <div role="status" className={css.status} data-version={version > 0}>
            {isPlaced ? (
              <Notice
                tone="good"
                action={
                  <ButtonLink href={`/?device=${deviceId}`} kind="primary" size="small" icon="map">
                    {t.welcome.toMap}
                  </ButtonLink>
                }
              >
                {t.welcome.arrived}
              </Notice>
            ) : (
              <div className={css.waiting}>
                <Spinner />
                {t.welcome.waiting}
              </div>
            )}
          </div>
          <WaysToConnect ways={WAYS} way={way} onChange={setWay} {...{ base, deviceId, deviceKey, name }} />
          <section className={css.key}>
            <h2>{t.welcome.keyTitle}</h2>
            <CopyField value={deviceKey} label={t.welcome.key} />
            <p className={css.soft}>{t.welcome.keyHint}</p>
          </section>
        </div>
      }
    >
      <MapView label={t.welcome.map} parts={parts} onMap={setMap} />
    </SplitPanel>
  );
}
