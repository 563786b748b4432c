import { number } from '../counting.ts';
import type { Texts } from '../translation.ts';

const times = (count: number) => (count === 1 ? 'una vez' : `${number(count)} veces`);

export const trackers: Texts['trackers'] = {
  protocol: (name) => (/\d/.test(name) ? name.toUpperCase() : name.charAt(0).toUpperCase() + name.slice(1)),

  knocks: {
    title: 'Dispositivos que llaman',
    lead: 'Rastreadores que se han conectado a este servidor pero aún no se conocen. Añada uno y su próximo informe se guardará.',
    empty: 'Aún no ha llamado ningún rastreador.',
    emptyHint: 'Configure un rastreador con esta dirección. Aparecerá aquí en cuanto se conecte.',
    setUp: 'Configure los rastreadores con esta dirección:',
    host: 'Host',
    port: 'Puerto',
    portHint: 'Todos los protocolos, por TCP y UDP.',
    noPort: 'Este servidor no escucha rastreadores: su puerto estaba ocupado o TRACKWAY_TRACKERS_PORT lo desactiva.',
    local:
      'Los rastreadores no pueden llegar a esta dirección desde fuera. Indique en el rastreador la dirección pública de este servidor.',
    docs: 'Cómo se conectan los rastreadores',
    last: 'Visto por última vez',
    first: 'primera vez',
    count: times,
    from: (address) => `desde ${address}`,
    add: 'Añadir…',
    addOne: (identity) => `Añadir ${identity}…`,
    addTitle: '¿Añadir este rastreador?',
    addText: (identity) => `${identity} pasa a ser su dispositivo y puede informar solo con esta identidad, sin clave.`,
    name: 'Nombre del dispositivo',
    nameHint: 'Puede cambiarlo más adelante.',
    addAction: 'Añadir dispositivo',
    added: (name) => `Se ha añadido ${name}. Su próximo informe se guardará.`,
    view: 'Ver dispositivo',
    dismiss: 'Descartar',
    dismissOne: (identity) => `Descartar ${identity}`,
    dismissed: (identity) => `Se ha descartado ${identity}. Volverá a aparecer si se conecta de nuevo.`,
  },

  undecoded: {
    title: 'No entendido',
    lead: 'Lo que enviaron los rastreadores y no se pudo leer. No se ha guardado nada de ello.',
    label: 'Datos de rastreadores que no se pudieron leer',
    count: times,
    last: 'última vez',
    from: (address) => `desde ${address}`,
    sample: 'Última muestra, hexadecimal',
    unknown: 'Protocolo desconocido',
  },
};
