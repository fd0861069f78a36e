/** The clipboard. */

/** Copy a text. A page without TLS has no clipboard: then by the old command, from the field that has the text, which
 * stays selected. `field` shows and returns it. Resolves to whether it is copied. */
export async function copied(text, field) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    field().select();
    return document.execCommand("copy");
  }
}
