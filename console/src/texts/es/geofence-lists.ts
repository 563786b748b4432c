import { countedIn } from '../counting.ts';
import type { Texts } from '../translation.ts';

const many = countedIn('es');

export const geofenceLists: Texts['geofenceLists'] = {
  title: 'Listas de geocercas',
  open: 'Listas de geocercas',
  back: 'Geocercas',
  backToLists: 'Listas de geocercas',
  lead: 'Una lista reúne geocercas. Compártala y otros verán sus geocercas y podrán añadir las suyas.',
  add: 'Nueva lista',
  none: 'Aún no hay listas',
  fences: (count) => (count === 0 ? 'Sin geocercas' : many(count, 'geocerca', 'geocercas')),
  sharedWithYou: 'Compartida con usted',
  sharedBy: (address) => `Compartida con usted por ${address}`,
  gone: 'Lista no encontrada',
  goneHint: 'Puede que se haya eliminado o que ya no se comparta con usted.',

  name: 'Nombre',
  namePlaceholder: 'Almacenes',
  newTitle: 'Nueva lista',
  editTitle: 'Editar lista',
  create: 'Crear lista',
  created: (name) => `Se ha creado «${name}»`,
  saved: 'Guardado',
  edit: 'Editar',

  delete: 'Eliminar…',
  deleteTitle: (name) => `¿Eliminar «${name}»?`,
  deleteText:
    'La lista desaparece para todos con quienes se comparte. Sus geocercas siguen siendo de sus propietarios.',
  deleteAction: 'Eliminar lista',
  deleted: (name) => `Se ha eliminado «${name}»`,
  leave: 'Dejar…',
  leaveTitle: (name) => `¿Dejar «${name}»?`,
  leaveText:
    'Ya no verá esta lista y sus geocercas se quitarán de ella. Siguen siendo suyas. Solo un miembro puede volver a compartirla con usted.',
  leaveAction: 'Dejar lista',
  left: (name) => `Ha dejado «${name}»`,

  onIt: 'Geocercas de esta lista',
  map: (name) => `Mapa de las geocercas de ${name}`,
  nothingOnIt: 'Aún no hay geocercas',
  nothingOnItHint: 'Añada una de sus geocercas. Quien ve la lista también la ve.',
  addFence: 'Añadir geocerca',
  addFenceHint: 'Una de las suyas. Una geocerca está como máximo en una lista, así que se mueve aquí.',
  onOther: (fence, list) => `${fence} (en ${list})`,
  noFence: 'No se ha encontrado ninguna geocerca',
  added: (fence) => `Se ha añadido «${fence}»`,
  takeOff: (fence) => `Quitar ${fence} de la lista`,
  takenOff: (fence) => `Se ha quitado «${fence}» de la lista`,
  undo: 'Deshacer',
  ofOther: 'De otro miembro',

  sharing: 'Acceso compartido',
  share: 'Compartir',
  shareTitle: 'Compartir esta lista',
  email: 'Correo electrónico',
  emailHint:
    'Verá la lista en cuanto tenga una cuenta con esta dirección. Si el correo está configurado, se le informa.',
  shared: (address) => `Compartida con ${address}`,
  notShared: 'Sin compartir',
  notSharedHint: 'Comparta esta lista para que otros vean sus geocercas y añadan las suyas.',
  notSharedByYou: 'No ha compartido esta lista con nadie. Su propietario ve con quién se comparte.',
  end: (who) => `Dejar de compartir con ${who}`,
  endTitle: (who) => `¿Dejar de compartir con ${who}?`,
  endText: 'Ya no verá esta lista y sus geocercas se quitarán de ella.',
  endAction: 'Dejar de compartir',
  ended: (who) => `Ya no se comparte con ${who}`,
};
