open('wrong.yaml')
wait('a finding', function() return vim.tbl_contains(codes(), 'unknown-field') end)
local found = vim.diagnostic.get(0)[1]
local params = { textDocument = vim.lsp.util.make_text_document_params(),
  range = { start = { line = found.lnum, character = found.col }, ['end'] = { line = found.end_lnum, character = found.end_col } },
  context = { diagnostics = { found.user_data.lsp } } }
params.context.diagnostics[1] = { range = params.range, message = found.message }
local actions = request('textDocument/codeAction', params)
told.titles = vim.tbl_map(function(each) return each.title end, actions)
vim.lsp.util.apply_workspace_edit(actions[1].edit, 'utf-16')
wait('mended', function() return #vim.diagnostic.get(0) == 0 end)
told.text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
