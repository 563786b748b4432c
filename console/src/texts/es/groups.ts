import { countedIn, number } from '../counting.ts';
import type { Texts } from '../translation.ts';

const many = countedIn('es');

export const groups: Texts['groups'] = {
  title: 'Grupos',
  lead: 'Un grupo reúne dispositivos. Compártalo para dar a otros acceso a todos sus dispositivos, o cree una regla para él.',
  add: 'Nuevo grupo',
  addBelow: 'Nuevo subgrupo',
  none: 'Aún no hay grupos',
  name: 'Nombre',
  namePlaceholder: 'Furgonetas',
  parent: 'Dentro del grupo',
  top: 'Ninguno: primer nivel',
  newTitle: 'Nuevo grupo',
  editTitle: 'Editar grupo',
  create: 'Crear grupo',
  created: (name) => `Se ha creado «${name}»`,
  saved: 'Guardado',
  edit: 'Editar',
  back: 'Grupos',
  gone: 'Grupo no encontrado',
  goneHint: 'Puede que se haya eliminado o que ya no se comparta con usted.',
  count: (count) => (count === 0 ? 'Sin dispositivos' : many(count, 'dispositivo', 'dispositivos')),
  sharedWithYou: 'Compartido con usted',
  rights: { view: 'Ver', manage: 'Gestionar', own: 'Propietario' },
  below: 'Subgrupos',

  devices: 'Dispositivos',
  noDevices: 'Sin dispositivos en este grupo',
  noDevicesHint: 'Un dispositivo puede estar en varios grupos.',
  put: 'Añadir dispositivo',
  pick: 'Buscar dispositivo por nombre',
  take: (name) => `Quitar ${name} del grupo`,
  taken: (name) => `${name} ya no está en el grupo`,
  only: (shown, all) => `Los primeros ${number(shown)} de ${many(all, 'dispositivo', 'dispositivos')}`,

  rule: 'Crear una regla',
  sharing: 'Acceso compartido',
  notShared: 'Sin compartir',
  share: 'Compartir',
  shareTitle: 'Compartir este grupo',
  shareHint:
    'Da acceso a todos los dispositivos de este grupo y de sus subgrupos, también a los que se añadan más tarde.',
  email: 'Correo electrónico',
  right: 'Permiso',
  shared: (who) => `Compartido con ${who}`,
  unshare: (who) => `Dejar de compartir con ${who}`,
  unshared: (who) => `Ya no se comparte con ${who}`,

  delete: 'Eliminar…',
  deleteTitle: (name) => `¿Eliminar «${name}»?`,
  deleteText:
    'También se eliminan sus subgrupos y todos dejan de compartirse. Los dispositivos se conservan. Se puede deshacer durante 30 días.',
  deleteAction: 'Eliminar grupo',
  deleted: (name) => `Se ha eliminado «${name}»`,
  undo: 'Deshacer',
  leave: 'Dejar…',
  leaveTitle: (name) => `¿Dejar «${name}»?`,
  leaveText: 'Pierde el acceso a sus dispositivos, salvo a los que se compartan con usted de otra forma.',
  leaveAction: 'Dejar grupo',
  left: (name) => `Ha dejado «${name}»`,
};
