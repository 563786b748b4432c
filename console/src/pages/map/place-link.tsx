import { Redirect, useSearchParams } from 'wouter';
import { dayKey } from '../../format/times.ts';

/**
 * The target of links in mails and messages: the position of a device at a time, on its day; without a time, the
 * current one.
 */
export default function PlaceLink() {
  const [query] = useSearchParams();
  const deviceId = Number(query.get('device'));
  const at = new Date(query.get('at') ?? Number.NaN);
  if (!Number.isInteger(deviceId) || deviceId <= 0) return <Redirect to="/" replace />;
  if (Number.isNaN(at.getTime())) return <Redirect to={`/?device=${deviceId}`} replace />;
  return <Redirect to={`/devices/${deviceId}/day/${dayKey(at)}?moment=${at.toISOString()}`} replace />;
}
