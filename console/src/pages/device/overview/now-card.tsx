import { type Device, type Point, usePointExplanation } from '../../../api/devices.ts';
import { compass, latLng, percent } from '../../../format/quantities.ts';
import { useFormat } from '../../../format/use-format.ts';
import { gatewaysText } from '../../../forms/gateways-text.ts';
import { PlaceName } from '../../../map/place-name.tsx';
import { t, textFor } from '../../../texts/t.ts';
import { ButtonLink } from '../../../ui/button.tsx';
import { Battery } from '../../../ui/figures/battery.tsx';
import { Facts } from '../../../ui/page.tsx';
import { EmptyState, Skeleton } from '../../../ui/states.tsx';
import { Ago } from '../../../ui/time.tsx';
import { useDeviceNow, useNewestPoint } from '../device-now.ts';
import { valueInWords } from '../readings/values.ts';
import type { Rights } from '../rights.ts';
import css from './now-card.module.css';
import { PlaceMap } from './place-map.tsx';

const CHARGING = 255;

/** The current position and state. */
export function NowCard({ device, rights }: { device: Device; rights: Rights }) {
  const { point, isPending } = useNewestPoint(device.id);
  return (
    <section className={css.card} aria-label={t.device.now}>
      <div className={css.facts}>
        <h2>{t.device.now}</h2>
        <NowFacts device={device} point={point} />
      </div>
      <div className={css.place}>
        {point?.location ? (
          <PlaceMap device={device} point={point} />
        ) : isPending ? (
          <Skeleton lines={4} />
        ) : (
          <EmptyState
            icon="pin"
            title={t.device.noPosition}
            action={
              rights.mayOwn && (
                <ButtonLink href={`/devices/${device.id}/access`} icon="key">
                  {t.device.howToReport}
                </ButtonLink>
              )
            }
          >
            {t.device.noPositionHint}
          </EmptyState>
        )}
      </div>
    </section>
  );
}

function NowFacts({ device, point }: { device: Device; point: Point | undefined }) {
  const format = useFormat();
  const doing = useDeviceNow(device);
  const heardBy = useGatewaysText(device.id, point);
  const isCharging = point?.averageCharge === CHARGING;
  return (
    <Facts
      facts={[
        [t.device.lastHeard, device.lastConnection && <Ago time={device.lastConnection} />],
        [
          t.device.battery,
          device.batteryPct !== null ? (
            <span key="battery">
              <Battery pct={device.batteryPct} />
              {percent(device.batteryPct)}
              {isCharging && `, ${t.device.charging}`}
            </span>
          ) : null,
        ],
        [t.device.speed, doing?.speedKmh != null ? format.speed(doing.speedKmh) : null],
        [t.device.heading, doing?.course != null ? compass(doing.course) : null],
        [
          t.device.mode,
          device.currentMode !== null ? (textFor(t.device.modes, device.currentMode) ?? device.currentMode) : null,
        ],
        [t.device.place, point?.location ? <PlaceName key="place" at={point.location} deviceId={device.id} /> : null],
        [t.device.position, point?.location ? latLng(point.location) : null],
        [t.device.positionAt, point ? <Ago key="at" time={point.timestamp} happened /> : null],
        [
          t.device.accuracy,
          point?.accuracy != null
            ? `${t.device.within({ distance: format.distance(point.accuracy) })} (${t.device.foundBy[point.locationType]})`
            : null,
        ],
        [t.device.positionSource, heardBy],
        [t.device.altitude, point?.altitude != null ? format.altitude(point.altitude) : null],
        [t.device.cell, point?.cell ? valueInWords({ type: 'cell', value: point.cell }, format) : null],
      ]}
    />
  );
}

/** The gateways of its current position; null for a device that reports its own position. */
function useGatewaysText(deviceId: number, point: Point | undefined): string | null {
  const isByGateways = point?.locationType === 'gateway';
  const { data } = usePointExplanation(deviceId, point?.id ?? 0, { enabled: isByGateways });
  return isByGateways && data ? (gatewaysText(data.gateways) ?? null) : null;
}
