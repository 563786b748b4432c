import { MOST_PHOTO_BYTES } from '@trackway/contract/resources/fleet-tools/vehicle.ts';

const LONGEST_PX = 1280;
const QUALITIES = [0.85, 0.7, 0.5, 0.3];

/** Encodes a picture again as JPEG, small enough to be stored, without the place and camera that files contain. */
export async function smallPhoto(file: Blob): Promise<Uint8Array> {
  const picture = await createImageBitmap(file);
  for (let longest = LONGEST_PX; ; longest /= 2) {
    const scale = Math.min(1, longest / Math.max(picture.width, picture.height));
    const canvas = document.createElement('canvas');
    canvas.width = Math.max(1, Math.round(picture.width * scale));
    canvas.height = Math.max(1, Math.round(picture.height * scale));
    canvas.getContext('2d')!.drawImage(picture, 0, 0, canvas.width, canvas.height);
    for (const quality of QUALITIES) {
      const made = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/jpeg', quality));
      if (made && made.size <= MOST_PHOTO_BYTES) return new Uint8Array(await made.arrayBuffer());
    }
  }
}

export function base64Of(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}
