local told = { failed = vim.NIL }
vim.o.swapfile, vim.o.shadafile = false, 'NONE'
local id = vim.lsp.start_client({ name = 'wfc', cmd = COMMAND, root_dir = FOLDER,
  on_error = function(code, why) told.failed = vim.inspect({ code, why }) end })

local function wait(what, holds)
  if not vim.wait(180000, holds, 20) then error('in vain: ' .. what .. '\n' .. table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
    .. vim.inspect(vim.diagnostic.get(0))) end
end

local function open(name)
  vim.cmd('edit! ' .. FOLDER .. '/' .. name)
  vim.bo.filetype, vim.bo.autoindent, vim.bo.expandtab = 'yaml', false, true
  vim.bo.indentexpr, vim.bo.indentkeys = '', ''
  local client = function() return vim.lsp.get_client_by_id(id) end
  wait('the server', function() return client() ~= nil and client().initialized end)
  vim.lsp.buf_attach_client(0, id)
end

local function add(text)
  local last = vim.api.nvim_buf_line_count(0)
  local lines = vim.split(vim.api.nvim_buf_get_lines(0, last - 1, last, false)[1] .. text, '\n')
  vim.api.nvim_buf_set_lines(0, last - 1, last, false, lines)
  vim.api.nvim_win_set_cursor(0, { vim.api.nvim_buf_line_count(0), #lines[#lines] })
end

local function request(method, params)
  params = params or vim.lsp.util.make_position_params(0, 'utf-16')
  local found = vim.lsp.buf_request_sync(0, method, params, 180000)
  local one = found and found[id]
  if one == nil then error('no answer to ' .. method) end
  return one.result, one.error
end

-- the labels that are proposed behind the last character
local function proposed()
  local last = vim.api.nvim_buf_line_count(0)
  local line = vim.api.nvim_buf_get_lines(0, last - 1, last, false)[1]
  local params = { textDocument = vim.lsp.util.make_text_document_params(),
    position = { line = last - 1, character = #line } }
  local labels = {}
  for _, each in ipairs(request('textDocument/completion', params)) do labels[each.label] = each end
  return labels
end

-- take what is proposed, as an editor does: the text edit of the item
local function take(label)
  local item = proposed()[label]
  if item == nil then error('not proposed: ' .. label .. ' but ' .. table.concat(vim.tbl_keys(proposed()), ' ')) end
  vim.lsp.util.apply_text_edits({ item.textEdit }, vim.api.nvim_get_current_buf(), 'utf-16')
end

local function codes()
  return vim.tbl_map(function(each) return each.code end, vim.diagnostic.get(0))
end
