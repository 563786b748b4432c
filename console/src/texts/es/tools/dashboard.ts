import type { Texts } from '../../translation.ts';

export const dashboard: Texts['dashboard'] = {
  title: 'Resumen',
  lead: 'Qué se mueve, qué calla y qué le necesita.',
  group: 'Grupo',
  now: 'Dispositivos ahora',
  none: 'Aún no hay dispositivos',
  noneText: 'Añada un dispositivo para ver aquí lo que hace.',
  noneSilent: 'Todos los dispositivos han informado hace poco.',
  neverHeard: 'nunca oído',
  noneLow: 'Ninguna batería está baja.',
  alarms: 'Sin confirmar',
  noneOpen: 'Ninguna advertencia espera a nadie.',
  distance: 'Distancia',
  silent: (number) => `En silencio: ${number}`,
  batteries: (number) => `Baterías bajas: ${number}`,
  more: (number) => `${number} más`,
};
