/**
 * The types under which trackers' status is stored, so that a chart or a trigger need not know the protocol. Numbers in
 * names go up from 1: `din1`, `temp2`; the first temperature is plain `temp`.
 *
 * - `ignition`, `moving`, `charging`, `door`, `engine_cut`, `armed`: true or false
 * - `din1`, `dout1`: true or false; `ain1`: volts
 * - `ext_voltage`, `battery_voltage`: volts; `battery_ma`: milliamperes
 * - `odometer_m`, `trip_m`: metres; `engine_hours`: hours
 * - `temp`: °C; `humidity`: %; `fuel_pct`: %; `fuel_l`: litres; `rpm`; `engine_temp`: °C; `obd_speed`: km/h
 * - `cell`: { mcc, mnc, lac, cid }; `cells`: a list of those with rssi, where a device hears several; `wifi`: a list of
 *   { mac, rssi, name? }
 * - `battery_raw`, `fuel_raw`: what a device measures of its battery or fuel, in a unit of its own
 * - `fuel_consumption`: litres per 100 km; `engine_load`, `throttle`: %
 * - `driver_id`, `vin`, `iccid`, `dtc`, `firmware`, `text`: text
 * - `accel_3d`: [x, y, z] in g; `steps`: a count; `heart_rate`: beats a minute; `oxygen`: %
 * - `event_code`: the device's own number for why it reports; `buffered`: whether it kept the report for a while
 * - `fence`: the device's own number of a geofence; `battery_temp`: °C
 * - `driver`: a name; `tyre1`: { sensor, bar, temp, status }; `sealed`: of a lock, true or false; `data`: of a tag, as it was
 *   sent, in hexadecimal digits
 * - `sleep`, `deep_sleep`: true or false; `vehicle_signals`: bits as the device gives them
 * - `vendor_items`: what a maker adds and nobody could read: hexadecimal digits by the number of the item
 * - `alarm`: a word of `alarm-words.ts`; `last_place`: { lat, lng }, where a device without a fix was last
 */
export const LAST_PLACE = 'last_place';
export const ALARM = 'alarm';
