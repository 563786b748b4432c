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
 * - `body_temp`: °C; `blood_pressure`: { systolic, diastolic } in mmHg
 * - `event_code`: the device's own number for why it reports; `buffered`: whether it kept the report for a while
 * - `fence`: the device's own number of a geofence; `battery_temp`: °C
 * - `ble_temp`, `eye_temp`, `probe_temp`: °C, of sensors that a tracker is paired with; so `ble_humidity`, `ble_battery`: %,
 *   `eye_battery_mv`; `device_temp`: °C inside the device
 * - `relay`, `lock`, `magnet`, `trip`: true or false; `sleep_mode`, `gnss_status`: a word
 * - `pdop`; `runtime_s`: seconds; `obd_odometer_m`: metres; `fuel_used_l`: litres; `dtc_count`: a count; `operator`: MCC and
 *   MNC as digits
 * - `event_data`: what a device adds to its event; `io`: values without a meaning that is known, by their numbers
 * - of tags that are heard: `ble_seen`: who; `temp`, `humidity`, `pressure`: hPa, `light`: lx, `battery`: %, `battery_mv`,
 *   `low_battery`, `motion`, `movement_count`, `button`, `angle`: { pitch, roll }, `pitch`, `roll`: degrees
 * - `driver`: a name; `tyre1`: { sensor, bar, temp, status }; `sealed`: of a lock, true or false; `data`: of a tag, as it was
 *   sent, in hexadecimal digits
 * - `sleep`, `deep_sleep`: true or false; `vehicle_signals`: bits as the device gives them
 * - `vendor_items`: what a maker adds and nobody could read: hexadecimal digits by the number of the item
 * - `alarm`: a word of `alarm-words.ts`; `last_place`: { lat, lng }, where a device without a fix was last
 */
export const LAST_PLACE = 'last_place';
export const ALARM = 'alarm';
