import type { Texts } from '../../translation.ts';

export const deviceTimeline: Texts['deviceTimeline'] = {
  earlier: 'Días anteriores',
  later: 'Días posteriores',
  span: (from, to) => `${from} – ${to}`,
  show: 'Lo que se muestra',
  all: 'Todo',
  groups: { drives: 'Trayectos', alarms: 'Avisos', messages: 'Mensajes', device: 'Dispositivo' },
  list: (day) => `Lo que ocurrió: ${day}`,
  empty: 'No ocurrió nada en estos días',
  emptyHint: 'Elija días anteriores o en el calendario un día con un punto.',
  emptyOfGroup: 'Nada de este tipo en estos días',
  showAll: (count) => `Mostrar los ${count}`,
  trip: (distance) => `Trayecto, ${distance}`,
  stop: (length) => `Parada, ${length}`,
  fromTo: (from, to) => `${from} – ${to}`,
  ignitionOn: 'Contacto encendido',
  ignitionOff: 'Contacto apagado',
  retracted: 'Retirado',
};
