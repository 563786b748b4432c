import type { Texts } from '../../translation.ts';

export const deviceFirmware: Texts['deviceFirmware'] = {
  title: 'Firmware',
  current: 'Installierte Version',
  unknown: 'Noch nicht gesendet',
  channel: 'Kanal',
  wanted: 'Angeforderte Version',
  urgency: 'Dringlichkeit',
  urgencies: { 0: 'Ohne Angabe', 2: 'Gering', 4: 'Groß', 6: 'Kritisch', 9: 'Erzwungen' },
  state: 'Update',
  states: {
    none: 'Keines angefordert',
    waiting: 'Wartet auf das Gerät',
    told: (times) => (times === 1 ? 'Einmal mitgeteilt' : `${times}-mal mitgeteilt`),
  },
  ask: 'Update anfordern …',
  cancel: 'Update abbrechen',
  cancelled: (build) => `Das Update auf ${build} wurde abgebrochen`,
  undo: 'Rückgängig',
  dialogTitle: 'Firmware-Update anfordern',
  lead: 'Das Gerät erfährt es bei der nächsten Verbindung und installiert die Version über seinen eigenen Update-Dienst.',
  build: 'Version',
  buildHint: 'Eine Version, die der Update-Dienst des Geräts kennt, oder „latest“.',
  channelHint: 'Leer: der Kanal, den es jetzt nutzt.',
  forcedHint: 'Das Gerät muss sie installieren, auch bei schwachem Akku.',
  action: 'Update anfordern',
  asked: (build) => `Ein Update auf ${build} wurde angefordert`,
};
