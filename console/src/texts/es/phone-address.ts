import type { Texts } from '../translation.ts';

export const phoneAddress: Texts['phoneAddress'] = {
  label: 'Dirección de este servidor para el teléfono',
  hint: 'El teléfono debe poder abrirla: en casa, debe estar en la misma red.',
  other: 'Otra dirección…',
  otherLabel: 'Dirección a la que llega el teléfono',
  otherPlaceholder: 'https://tracking.example.com',
  invalid:
    'Introduzca una dirección como https://tracking.example.com. La propia de este equipo, como 127.0.0.1, no funciona en ningún teléfono.',
  localOnly:
    'Un teléfono aún no puede llegar a este servidor: solo acepta conexiones de este equipo. Para su red, inícielo con TRACKWAY_HOST=0.0.0.0. Para cualquier lugar, ponga un proxy TLS delante y defina TRACKWAY_PUBLIC_URL.',
  unknown:
    'Este servidor no conoce ninguna dirección a la que llegue un teléfono. Defina TRACKWAY_PUBLIC_URL o introduzca la dirección de este equipo en su red.',
  first:
    'Un teléfono aún no puede llegar a este servidor: solo acepta conexiones de este equipo. Para conectar uno, inícielo antes con TRACKWAY_HOST=0.0.0.0 o defina TRACKWAY_PUBLIC_URL detrás de un proxy TLS. Un dispositivo simulado funciona así.',
  keeps: 'La clave sigue aquí mientras esta página esté abierta: reinicie el servidor y compruebe de nuevo.',
  check: 'Comprobar de nuevo',
};
