import type { Texts } from '../../translation.ts';

export const deviceFirmware: Texts['deviceFirmware'] = {
  title: 'Firmware',
  current: 'Versión instalada',
  unknown: 'Aún sin informar',
  channel: 'Canal',
  wanted: 'Versión pedida',
  urgency: 'Urgencia',
  urgencies: { 0: 'Sin indicar', 2: 'Menor', 4: 'Mayor', 6: 'Crítica', 9: 'Forzada' },
  state: 'Actualización',
  states: {
    none: 'Ninguna pedida',
    waiting: 'Esperando al dispositivo',
    told: (times) => (times === 1 ? 'Comunicada una vez' : `Comunicada ${times} veces`),
  },
  ask: 'Pedir actualización…',
  cancel: 'Cancelar actualización',
  cancelled: (build) => `Se ha cancelado la actualización a ${build}`,
  undo: 'Deshacer',
  dialogTitle: 'Pedir una actualización de firmware',
  lead: 'El dispositivo lo sabrá en su próxima conexión e instalará la versión con su propio servicio.',
  build: 'Versión',
  buildHint: 'Una versión que conozca el servicio del dispositivo, o «latest».',
  channelHint: 'Vacío: el canal que usa ahora.',
  forcedHint: 'El dispositivo debe instalarla aunque tenga poca batería.',
  action: 'Pedir actualización',
  asked: (build) => `Se ha pedido una actualización a ${build}`,
};
