/**
 * The reading types of tracker status, common to all protocols, so that charts and triggers do not depend on the
 * protocol. Numbers in names start at 1: `din1`, `temp2`; the first temperature is plain `temp`.
 *
 * - `ignition`, `moving`, `charging`, `door`, `engine_cut`, `armed`: true or false
 * - `din1`, `dout1`: true or false; `ain1`: volts
 * - `ext_voltage`, `battery_voltage`: volts; `battery_ma`: milliamperes
 * - `odometer_m`, `trip_m`: metres; `engine_hours`: hours
 * - `temp`: °C; `humidity`: %; `fuel_pct`: %; `fuel_l`: litres; `rpm`; `engine_temp`: °C; `obd_speed`: km/h
 * - `cell`: { mcc, mnc, lac, cid }, part of the position if there is a fix; `cells`: a list of cells with rssi, if a device receives several; `wifi`: a list of
 *   { mac, rssi, name? }
 * - `battery_raw`, `fuel_raw`: battery or fuel level in a proprietary unit
 * - `fuel_consumption`: litres per 100 km; `engine_load`, `throttle`: %
 * - `driver_id`, `vin`, `iccid`, `dtc`, `firmware`, `text`: text
 * - `accel_3d`: [x, y, z] in g; `steps`: a count; `heart_rate`: beats per minute; `oxygen`: %
 * - `body_temp`: °C; `blood_pressure`: { systolic, diastolic } in mmHg
 * - `event_code`: the device's own number for the reason of a report; `buffered`: whether the report was buffered
 * - `fence`: the device's own number of a geofence; `battery_temp`: °C
 * - `ble_temp`, `eye_temp`, `probe_temp`: °C, of sensors paired with a tracker; also `ble_humidity`, `ble_battery`:
 *   %, `eye_battery_mv`; `device_temp`: °C inside the device
 * - `relay`, `lock`, `magnet`, `trip`: true or false; `sleep_mode`, `gnss_status`: a word
 * - `pdop`; `runtime_s`: seconds; `obd_odometer_m`: metres; `fuel_used_l`: litres; `dtc_count`: a count; `operator`:
 *   MCC and MNC as digits
 * - `event_data`: additional data of an event; `io`: values of unknown meaning, by their numbers
 * - of received tags: `ble_seen`: the identity; `temp`, `humidity`, `pressure`: hPa, `light`: lx, `battery`: %,
 *   `battery_mv`, `low_battery`, `motion`, `movement_count`, `button`, `angle`: { pitch, roll }, `pitch`, `roll`:
 *   degrees
 * - `driver`: a name; `tyre1`: { sensor, bar, temp, status }; `sealed`: of a lock, true or false; `data`: raw data of a
 *   tag, in hexadecimal digits
 * - `sleep`, `deep_sleep`: true or false; `vehicle_signals`: raw bits of the device
 * - `vendor_items`: undecoded manufacturer-specific items: hexadecimal digits by item number
 * - `alarm`: a word of `alarm-words.ts`; `last_place`: { lat, lng }, the last position of a device without a fix
 */
export const LAST_PLACE = 'last_place';
export const ALARM = 'alarm';
