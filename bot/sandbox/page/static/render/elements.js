// Block elements by their type.

import { checkboxes, radioButtons } from "./elements/boxes.js";
import { button, feedbackButtons, iconButton } from "./elements/buttons.js";
import {
  emailInput,
  fileInput,
  numberInput,
  plainTextInput,
  richTextInput,
  urlInput,
} from "./elements/inputs.js";
import { overflow } from "./elements/overflow.js";
import { datePicker, dateTimePicker, timePicker } from "./elements/pickers.js";
import { picture } from "./elements/picture.js";
import { select } from "./elements/select.js";
import { renderKind } from "./unknown.js";

const SELECTS = ["static", "external", "users", "conversations", "channels"].flatMap((source) => [
  [`${source}_select`, select],
  [`multi_${source}_select`, select],
]);

const ELEMENTS = {
  button,
  workflow_button: button,
  icon_button: iconButton,
  feedback_buttons: feedbackButtons,
  overflow,
  ...Object.fromEntries(SELECTS),
  checkboxes,
  radio_buttons: radioButtons,
  datepicker: datePicker,
  timepicker: timePicker,
  datetimepicker: dateTimePicker,
  plain_text_input: plainTextInput,
  number_input: numberInput,
  email_text_input: emailInput,
  url_text_input: urlInput,
  rich_text_input: richTextInput,
  file_input: fileInput,
  image: (node) => picture(node, "k-image-element"),
};

/**
 * An element as a node. `place` is `{ctx, blockId, fires}`, with `labelId` and `describedBy` in an
 * input block; with `fires` each use is reported by `ctx.onAction`.
 */
export function element(node, place) {
  return renderKind("element", ELEMENTS, node, place);
}
