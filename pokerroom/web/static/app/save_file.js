/** Files that the page makes itself. */

/** Offer texts, one after the other, as a file to save. */
export function saveFile(texts, name, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(texts, { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href));
}
